/** The parts of `vscode` that are about files. */

export class FileSystemError extends Error {
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
