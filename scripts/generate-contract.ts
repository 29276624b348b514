import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { printComments } from "../packages/contract/scripts/print-comments.ts";
import { printValidateProto } from "../packages/contract/scripts/print-validate-proto.ts";
import { mustRunBuf } from "./buf.ts";
import { listFiles, type Files } from "./sync-files.ts";

/** The contract's folder, relative to the root. */
export const contractFolder = "packages/contract";

/** Everything buf makes: formatted proto files, generated code, comments. Made in a folder of its own, so that it can also be compared. */
export function generateContract(root: string): Files {
  const work = mkdtempSync(join(tmpdir(), "cloudwright-generate-"));
  try {
    for (const name of ["proto", "buf.yaml", "buf.gen.yaml"]) {
      cpSync(join(root, contractFolder, name), join(work, name), { recursive: true });
    }
    writeFileSync(join(work, "proto/buf/validate/validate.proto"), printValidateProto());
    mustRunBuf(work, ["format", "--write"]);
    mustRunBuf(work, ["generate"]);
    mustRunBuf(work, ["build", "proto", "--as-file-descriptor-set", "--output", "comments.binpb"]);
    // After generate, which empties the folder.
    writeFileSync(join(work, "gen/comments.ts"), printComments(readFileSync(join(work, "comments.binpb"))));
    const paths = [...listFiles(work, "proto"), ...listFiles(work, "gen")];
    return new Map(paths.map((path) => [`${contractFolder}/${path}`, readFileSync(join(work, path), "utf8")]));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
