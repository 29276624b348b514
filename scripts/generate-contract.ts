import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { printValidateProto } from "../packages/contract/scripts/print-validate-proto.ts";
import { mustRunBuf } from "./buf.ts";
import { listFiles, type Files } from "./sync-files.ts";

const home = join(import.meta.dirname, "..");

/** Folder of the contract, relative to the root. */
export const contractFolder = "packages/contract";

/**
 * Formats the proto files and generates code from them with buf. Works in a temporary folder, so that callers can also compare the result
 * without writing it.
 */
export function generateContract(root: string): Files {
  const work = mkdtempSync(join(tmpdir(), "cloudwright-generate-"));
  try {
    for (const name of ["proto", "buf.yaml"]) cpSync(join(root, contractFolder, name), join(work, name), { recursive: true });
    writeFileSync(join(work, "proto/buf/validate/validate.proto"), printValidateProto());
    mustRunBuf(work, ["format", "--write"]);
    // Runs in the contract's folder, because buf finds its plug-ins there.
    const input = [work, "--exclude-path", join(work, "proto/buf")];
    mustRunBuf(join(home, contractFolder), ["generate", ...input, "--output", work]);
    const paths = [...listFiles(work, "proto"), ...listFiles(work, "gen")];
    return new Map(paths.map((path) => [`${contractFolder}/${path}`, readFileSync(join(work, path), "utf8")]));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
