/** The parts of `vscode` that are about documents and files: places in them, edits, and what can be registered for them. */

export class Position {
  constructor(
    readonly line: number,
    readonly character: number,
  ) {}
}

export class Range {
  readonly start: Position;
  readonly end: Position;

  constructor(...given: [Position, Position] | [number, number, number, number]) {
    const [first, second] =
      given.length === 2 ? given : [new Position(given[0], given[1]), new Position(given[2], given[3])];
    this.start = first;
    this.end = second;
  }
}

export class Selection extends Range {}

export class WorkspaceEdit {
  readonly replaced: { uri: unknown; range: Range; text: string }[] = [];

  replace(uri: unknown, range: Range, text: string): void {
    this.replaced.push({ uri, range, text });
  }
}

export class FileSystemError extends Error {
  static FileNotFound(uri: unknown): FileSystemError {
    return new FileSystemError(`FileNotFound: ${uri}`);
  }

  static Unavailable(sentence: unknown): FileSystemError {
    return new FileSystemError(`Unavailable: ${sentence}`);
  }

  static NoPermissions(said: unknown): FileSystemError {
    return new FileSystemError(`NoPermissions: ${said}`);
  }
}

export const FileType = { Unknown: 0, File: 1, Directory: 2 };
export const FilePermission = { Readonly: 1 };
export const FileChangeType = { Changed: 1, Created: 2, Deleted: 3 };
export const ViewColumn = { Active: -1, Beside: -2 };
export const TextEditorRevealType = { AtTop: 3 };
