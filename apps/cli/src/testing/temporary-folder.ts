import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Creates a directory that is deleted after the test. */
export function createTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "cloud-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
