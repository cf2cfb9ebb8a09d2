/** What other extensions declare about the chat panel: whether a default participant answers in it. */

export interface Manifest {
  readonly contributes?: {
    readonly chatParticipants?: readonly { readonly isDefault?: boolean }[];
  };
}

const NEW_CHAT = "workbench.action.chat.newChat";
const OF_COPILOT = "github.copilot.chat."; // which may run where its manifest cannot be read

/** Returns whether there is a chat panel with a participant that answers by default. */
export function hasPanel(manifests: readonly Manifest[], commands: readonly string[]): boolean {
  const answers = manifests.some((one) =>
    one.contributes?.chatParticipants?.some((participant) => participant.isDefault),
  );
  return commands.includes(NEW_CHAT) && (answers || commands.some((command) => command.startsWith(OF_COPILOT)));
}
