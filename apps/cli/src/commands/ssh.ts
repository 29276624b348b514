import { getKind } from "@cloudwright/contract/kinds";
import { Fault } from "@cloudwright/platform/fault";
import { addExamples, onServer, type Configure, type FlagValues } from "../command-context.ts";
import type { Session } from "../connection/session.ts";
import { ExitRequest } from "../exit-codes.ts";
import { cliFaults } from "../faults.ts";
import { parseCount } from "../list-flags.ts";
import { parseName } from "../references.ts";
import { prepareLogin, type Login } from "../ssh/prepare-login.ts";

/** `cloud instance ssh NAME [-- COMMAND]`: opens a shell on an instance, or runs a command there. */
export const configureSsh: Configure = (command, context) => {
  command.argument("<name>", "name or uid of the instance");
  command.argument("[command...]", "command to run (default: a shell)");
  command.option("--user <name>", "user to log in as (default: the image's usual user)");
  command.option("-i, --identity <path>", "private key file to use instead of the keys that the platform stores");
  command.option(
    "--address <address>",
    "address to connect to, such as localhost for a tunnel (default: the instance's address)",
  );
  command.option("--port <number>", "port to connect to (default: the instance's port, usually 22)", parseCount);
  command.option("--accept-new", "if no host key is recorded, trust the key that the instance presents now, and record it");
  addExamples(
    command,
    "cloud instance ssh web",
    "cloud instance ssh web -- uptime",
    "cloud instance ssh web --accept-new",
    "cloud instance ssh web --address localhost --port 2222",
  );
  onServer(command, context, async (session, [text = "", ...words], flags) => {
    const { name } = parseName(getKind("Instance"), text);
    const login = await openLogin(session, name, flags);
    try {
      await logIn(session, name, login, words);
    } finally {
      await login.close();
    }
  });
};

async function openLogin(session: Session, name: string, flags: FlagValues): Promise<Login> {
  const { client, project, world } = session;
  const {
    address = "",
    user = "",
    hostKeys = [],
    privateKeys = [],
    simulated = false,
    port,
  } = await client.instances.openSsh(project, name, {
    signal: world.signal,
  });
  const otherAddress = flags["address"] as string | undefined;
  if (simulated && otherAddress === undefined)
    throw new Fault(
      cliFaults.simulated_instance,
      `instance ${name} is simulated, so no machine exists at its address ${address}`,
    );
  const acceptNew = flags["acceptNew"] === true;
  if (hostKeys.length === 0 && !acceptNew)
    throw new Fault(cliFaults.no_host_key, `no host key is recorded for instance ${name}, so its identity cannot be verified`);
  const chosen = (flags["user"] as string | undefined) ?? user;
  if (chosen === "") throw new Fault(cliFaults.usage, `the image of instance ${name} has no known default user; add --user`);
  const identity = flags["identity"] as string | undefined;
  return prepareLogin({
    alias: name,
    address: otherAddress ?? address,
    port: (flags["port"] as number | undefined) ?? (otherAddress === undefined ? port : undefined),
    user: chosen,
    hostKeys,
    privateKeys: identity === undefined ? privateKeys : [],
    identity,
  });
}

async function logIn(session: Session, name: string, login: Login, words: readonly string[]): Promise<void> {
  const { client, output, project, world } = session;
  const code = await world.run("ssh", [...login.args, ...words]);
  if (code === undefined) throw new Fault(cliFaults.no_ssh, "the program ssh is not installed, or is not in the PATH");
  const accepted = await login.readAccepted();
  if (accepted.length > 0) {
    await client.instances.patch(project, name, { spec: { hostKeys: accepted } }, { signal: world.signal });
    output.note(`recorded ${accepted.length === 1 ? "the host key" : `${accepted.length} host keys`} of instance ${name}`);
  }
  if (code !== 0) throw new ExitRequest(code);
}
