import { Fault, Secret } from "@cloudwright/platform";
import type { SshConnection } from "./connect.ts";
import { sshFaults } from "./faults.ts";
import { runCommand } from "./run-command.ts";

export interface Upload {
  /** Absolute path on the machine. Its folder must exist. */
  readonly path: string;
  readonly content: string | Buffer | Secret;
  /** Default: 0o600. */
  readonly mode?: number;
  /** Words before the command, such as `["sudo", "-n"]`. */
  readonly prefix?: readonly string[];
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

// The file appears under its name only when it is complete. An interrupted connection looks like the end of the input, hence the size.
const script = `set -eu
[ ! -d "$1" ] || { echo "$1 is a folder" >&2; exit 1; }
umask 077
temporary=$(mktemp -- "\${1%/*}/.cloudwright.XXXXXXXX")
trap 'rm -f -- "$temporary"' EXIT
trap 'exit 1' HUP INT TERM
cat > "$temporary"
size=$(wc -c < "$temporary")
[ "$size" -eq "$3" ] || { echo "received $size of $3 bytes" >&2; exit 1; }
chmod -- "$2" "$temporary"
mv -f -- "$temporary" "$1"
`;

/** Writes a small file on a machine, completely or not at all. The content is sent as input, so it may be a secret. */
export async function uploadFile(connection: SshConnection, upload: Upload): Promise<void> {
  const { path, content, mode = 0o600, prefix = [], timeoutMs, signal } = upload;
  if (!path.startsWith("/") || path.endsWith("/")) {
    throw new Fault(sshFaults.bad_argument, `"${path}" is not the absolute path of a file`);
  }
  const stdin = Buffer.from(content instanceof Secret ? content.reveal() : content);
  const argv = [...prefix, "sh", "-c", script, "sh", path, mode.toString(8), String(stdin.length)];
  const limits = { ...(timeoutMs === undefined ? {} : { timeoutMs }), maxOutputBytes: 4096, signal };
  const { exitCode, stderr } = await runCommand(connection, argv, { stdin, ...limits });
  if (exitCode === 0) return;
  const reason = stderr.trim().replaceAll("\n", "; ");
  throw new Fault(sshFaults.upload_failed, `${path} could not be written on ${connection.where}: ${reason}`);
}
