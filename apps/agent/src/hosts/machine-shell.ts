import type { MachineAccess } from "@cloudwright/clouds";
import { hostsFaults, type MachineShell } from "@cloudwright/hosts";
import { Fault } from "@cloudwright/platform";
import { connect, runCommand, type SshConnection } from "@cloudwright/ssh";

/** Login and commands each have this limit. */
const timeoutMs = 30_000;

/** Logs in to a machine, runs `work`, and ends the connection. Throws if the machine's host keys have not been confirmed. */
export async function withMachine<Result>(
  machine: MachineAccess,
  signal: AbortSignal,
  work: (shell: MachineShell) => Promise<Result>,
): Promise<Result> {
  const { name, address, port, user, privateKeys, hostKeys } = machine;
  if (hostKeys.length === 0) {
    throw new Fault(hostsFaults.machine_untrusted, `the SSH host keys of ${name} (${address}) have not been confirmed`);
  }
  const connection = await connect({ address, port, user, privateKeys, hostKeys }, { timeoutMs, signal });
  try {
    return await work(createShell(connection, signal));
  } finally {
    connection.end();
  }
}

function createShell(connection: SshConnection, signal: AbortSignal): MachineShell {
  return {
    where: connection.where,
    async run(argv, { input } = {}) {
      const result = await runCommand(connection, argv, {
        timeoutMs,
        signal,
        ...(input === undefined ? {} : { stdin: input }),
        maxOutputBytes: 4 * 1024 * 1024,
      });
      return { code: result.exitCode, stdout: result.stdout, stderr: result.stderr };
    },
  };
}
