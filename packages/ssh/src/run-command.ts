import { Fault } from "@cloudwright/platform";
import { constants } from "node:os";
import type { ClientChannel } from "ssh2";
import type { SshConnection } from "./connect.ts";
import { sshFaults } from "./faults.ts";
import { quoteArgv } from "./quote-argv.ts";

export interface CommandOptions {
  readonly stdin?: string | Buffer;
  /** Default: 60 seconds. */
  readonly timeoutMs?: number;
  /** Limits stdout and stderr together; the rest is dropped. Default: 1 MiB. */
  readonly maxOutputBytes?: number;
  /** A command that writes more than this is ended. Default: 64 MiB. */
  readonly maxReceivedBytes?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface CommandResult {
  /** As in a shell: 128 and the signal's number for a command that a signal ended. */
  readonly exitCode: number;
  /** Name of the signal that ended the command, such as `SIGKILL`. */
  readonly signal?: string;
  readonly stdout: string;
  readonly stderr: string;
  /** Whether output was dropped. */
  readonly isTruncated: boolean;
}

/**
 * Runs a command and waits for its end. Any exit code is a result, not an error. `argv` appears in process lists of the machine and its first
 * word in messages, so secrets must be passed as `stdin`. A command that is cancelled or takes too long loses its input and output. It gets
 * SIGPIPE at its next output, because servers do not deliver signals for every user; start a silent command with `timeout` to limit it.
 */
export async function runCommand(
  connection: SshConnection,
  argv: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  const { stdin = "", timeoutMs = 60_000, maxOutputBytes = 2 ** 20, maxReceivedBytes = 2 ** 26, signal } = options;
  const command = quoteArgv(argv);
  const what = `${argv[0]?.slice(0, 80)} on ${connection.where}`;
  const { promise, resolve, reject } = Promise.withResolvers<CommandResult>();
  const output = collectOutput(maxOutputBytes);
  let channel: ClientChannel | undefined;
  let result: Pick<CommandResult, "exitCode" | "signal"> | undefined;
  let isOver = false;
  const stop = (fault: Fault): void => {
    if (isOver) return;
    isOver = true;
    reject(fault);
    if (channel !== undefined) endChannel(channel);
  };
  const onAbort = (): void => stop(new Fault(sshFaults.cancelled, `${what} was cancelled`));
  const onEnded = (): void => stop(explainEnd(connection.ended.reason as Fault, what));
  const timer = setTimeout(() => stop(new Fault(sshFaults.timeout, `${what} took more than ${timeoutMs} ms`)), timeoutMs);
  signal?.addEventListener("abort", onAbort, { once: true });
  connection.ended.addEventListener("abort", onEnded, { once: true });
  try {
    if (signal?.aborted === true) onAbort();
    else if (connection.ended.aborted) onEnded();
    else connection.client.exec(command, start);
    return await promise;
  } finally {
    isOver = true;
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    connection.ended.removeEventListener("abort", onEnded);
  }

  function start(error: Error | undefined, opened: ClientChannel): void {
    if (error !== undefined) {
      if (connection.ended.aborted) return onEnded();
      return stop(new Fault(sshFaults.busy, `${what} could not be started: ${error.message}`, { cause: error }));
    }
    channel = opened;
    if (isOver) return endChannel(opened);
    const receive =
      (name: "stdout" | "stderr") =>
      (bytes: Buffer): void => {
        if (output.add(name, bytes) > maxReceivedBytes) {
          stop(new Fault(sshFaults.too_much_output, `${what} wrote more than ${maxReceivedBytes} bytes`));
        }
      };
    opened.on("data", receive("stdout"));
    opened.stderr.on("data", receive("stderr"));
    // The command may end without reading its input.
    opened.on("error", () => undefined);
    opened.on("exit", (code: number | null, name?: string) => (result = readExit(code, name)));
    opened.on("close", () => {
      if (result !== undefined) return resolve({ ...result, ...output.read() });
      stop(new Fault(sshFaults.connection_lost, `${what} ended without an exit code`));
    });
    opened.end(stdin);
  }
}

/** Keeps output up to a limit and counts all of it. */
function collectOutput(limit: number): {
  add(name: "stdout" | "stderr", bytes: Buffer): number;
  read(): Pick<CommandResult, "stdout" | "stderr" | "isTruncated">;
} {
  const parts = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  let [kept, received] = [0, 0];
  const text = (name: "stdout" | "stderr"): string => Buffer.concat(parts[name]).toString("utf8");
  return {
    add(name, bytes) {
      const part = bytes.subarray(0, limit - kept);
      if (part.length > 0) parts[name].push(part);
      kept += part.length;
      received += bytes.length;
      return received;
    },
    read: () => ({ stdout: text("stdout"), stderr: text("stderr"), isTruncated: received > kept }),
  };
}

function readExit(code: number | null, name = ""): Pick<CommandResult, "exitCode" | "signal"> {
  if (code !== null) return { exitCode: code };
  const signal = name.startsWith("SIG") ? name : `SIG${name}`;
  return { exitCode: 128 + (constants.signals[signal as NodeJS.Signals] ?? 0), signal };
}

function endChannel(channel: ClientChannel): void {
  channel.removeAllListeners("data");
  channel.stderr.removeAllListeners("data");
  // Unread output would keep the channel open.
  channel.resume();
  channel.stderr.resume();
  channel.close();
}

function explainEnd(fault: Fault, what: string): Fault {
  const { code } = sshFaults.timeout;
  const reason = fault.code === code ? sshFaults.timeout : sshFaults.connection_lost;
  return new Fault(reason, `${what} was interrupted: ${fault.message}`, { cause: fault });
}
