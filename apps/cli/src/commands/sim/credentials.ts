import { addExamples, onServer, type Configure } from "../../command-context.ts";
import { isStructured } from "../../output/output.ts";
import { addAccountFlag, requireAccount } from "./account.ts";

/** `cloud sim credentials`: prints the environment variables with which the cloud's own tools use a simulated account. */
export const configureSimCredentials: Configure = (command, context) => {
  command
    .option("--region <region>", "region that the tools use by default")
    .option("--rotate", "invalidate all previously issued credentials first")
    .option("--ca", "print only the CA certificate of the API, in PEM format");
  addAccountFlag(command);
  addExamples(
    command,
    'eval "$(cloud sim credentials --account sandbox)"',
    "cloud sim credentials --rotate",
    "cloud sim credentials --ca > ca.pem",
  );
  onServer(command, context, async (session, _given, flags) => {
    const { client, output, project, world } = session;
    const account = await requireAccount(session, flags);
    const { region } = flags as { readonly region?: string };
    const wanted = { rotate: flags["rotate"] === true, ...(region === undefined ? {} : { region }) };
    const issued = await client.simulations.credentials(project, account, wanted, { signal: world.signal });
    if (isStructured(output.format)) return output.structure(issued);
    if (flags["ca"] === true) return output.line((issued.caPem ?? "").trimEnd());
    for (const [name, value] of Object.entries(issued.environment ?? {})) output.line(`export ${name}=${quote(value)}`);
  });
};

function quote(value: string): string {
  return /^[\w@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", String.raw`'\''`)}'`;
}
