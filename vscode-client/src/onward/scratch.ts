/** A temporary file that exists only while it is handed over. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import type { House } from "../house";
import type { ExportParams } from "../wire";

/** Exports a compaction into a private folder, hands the file over, and removes both. */
export async function withExport<Result>(
  house: House,
  compactionId: string,
  as: ExportParams["as"],
  use: (file: vscode.Uri) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "compact-chat-"));
  try {
    const file = vscode.Uri.file(join(folder, "chat.json"));
    await house.server.ask("export", { compactionId, as, uri: file.toString() });
    return await use(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
