/**
 * Lints the proto files and checks that they are compatible with the previous version. `--against <commit>` selects that version. By
 * default, it is the commit where the branch forked from main. On main itself, it is the previous commit.
 */
import { join } from "node:path";
import { runBuf } from "./buf.ts";
import { checkBreaking } from "./check-breaking.ts";
import { contractFolder } from "./generate-contract.ts";

const root = join(import.meta.dirname, "..");
const flag = process.argv.indexOf("--against");
const against = flag < 0 ? undefined : process.argv[flag + 1];

const lint = runBuf(join(root, contractFolder), ["lint"]);
console.log(lint.ok ? "buf lint: clean" : lint.output);

const breaking = checkBreaking({ root, ...(against !== undefined && { against }) });
console.log(`buf breaking: ${breaking.says}`);

if (!lint.ok || !breaking.ok) process.exitCode = 1;
