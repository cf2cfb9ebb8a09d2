/** What other extensions declare that matters when a text is put into the input of the chat panel. */

export interface Manifest {
  readonly contributes?: {
    readonly chatParticipants?: readonly { readonly isDefault?: boolean }[];
    readonly languageModelTools?: readonly { readonly toolReferenceName?: string }[];
    readonly languageModelToolSets?: readonly { readonly referenceName?: string; readonly name?: string }[];
  };
}

const NEW_CHAT = "workbench.action.chat.newChat";
const OF_COPILOT = "github.copilot.chat."; // which may run where its manifest cannot be read
const WORD_JOINER = "\u2060"; // takes no room

/** Says whether there is a chat panel, and somebody who answers there when nobody is named. */
export function hasPanel(manifests: readonly Manifest[], commands: readonly string[]): boolean {
  const answers = manifests.some((one) =>
    one.contributes?.chatParticipants?.some((participant) => participant.isDefault),
  );
  return commands.includes(NEW_CHAT) && (answers || commands.some((command) => command.startsWith(OF_COPILOT)));
}

/** Gives the words that the panel takes for tools where they stand behind a `#`. */
export function toolNames(manifests: readonly Manifest[]): ReadonlySet<string> {
  const names = manifests.flatMap(({ contributes }) => [
    ...(contributes?.languageModelTools ?? []).map((tool) => tool.toolReferenceName),
    ...(contributes?.languageModelToolSets ?? []).map((set) => set.referenceName ?? set.name),
  ]);
  return new Set(names.filter((name) => name !== undefined));
}

/** Makes the panel leave `#name` of a tool as it stands: what an old chat asked of a tool is not asked again. */
export function withoutToolReferences(text: string, names: ReadonlySet<string>): string {
  return text.replace(/(?<![\w#])#(\w+(?:[.-]\w+)*)/g, (found, name: string) =>
    names.has(name) ? `#${WORD_JOINER}${name}` : found,
  );
}
