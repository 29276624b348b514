import { getKind } from "@cloudwright/contract/kinds";
import { Fault } from "@cloudwright/platform/fault";
import { addExamples, onServer, type Configure } from "../command-context.ts";
import { cliFaults } from "../faults.ts";
import { parseName, parseReferences, requireVerb, type Named } from "../references.ts";
import { writeSecretFile } from "../write-secret-file.ts";

/** `cloud sshkey private NAME`: writes the private half of a key to a file, or to standard output without any other text. */
export const configurePrivate: Configure = (command, context) => {
  const { kind } = context;
  command.argument("<name...>", "name or uid of the key");
  command.option("--output-file <path>", "write the private key to a new file with mode 0600");
  command.option("--show", "print the private key even if the output is a terminal");
  addExamples(command, "cloud sshkey private ops --output-file ~/.ssh/ops", "cloud sshkey private ops | ssh-add -");
  onServer(command, context, async ({ client, output, project, world }, args, flags) => {
    const file = flags["outputFile"] as string | undefined;
    if (file === undefined && world.stdout.isTTY && flags["show"] !== true) {
      throw new Fault(cliFaults.secret_on_terminal, "the private key is not printed, because the output is a terminal");
    }
    const { privateKey = "" } = await client.sshKeys.openPrivate(project, readName(kind, args), { signal: world.signal });
    if (file === undefined) return output.line(privateKey.trimEnd());
    writeSecretFile(file, privateKey);
    output.done(`private key written to ${file}`);
  });
};

function readName(kind: Parameters<Configure>[1]["kind"], args: readonly string[]): string {
  if (kind === undefined && args.length === 1) return parseName(getKind("SshKey"), args[0] as string).name;
  const [named] = parseReferences(kind, args);
  requireVerb((named as Named).kind, "private");
  const references = (named as Named).references;
  if (references.length === 1 && references[0] !== undefined) return references[0].name;
  throw new Fault(cliFaults.usage, "specify exactly one key");
}
