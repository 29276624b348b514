import { Fault } from "@cloudwright/platform";
import { createHash } from "node:crypto";
import { hostsFaults } from "../faults.ts";
import { addKeyClaim, listKeyClaims, removeKeyClaim, type KeyClaim, type KeyFile } from "./authorized-keys.ts";
import type { MachineShell } from "./shell.ts";

const mostBytes = 1024 * 1024;
const attempts = 5;
/** Exit code of the scripts if the file has changed since it was read. */
const changed = 76;

const readScript = `set -eu
d=$HOME/.ssh; f=$d/authorized_keys
if [ -e "$f" ]; then echo file; head -c ${mostBytes + 1} "$f" | base64; elif [ -d "$d" ]; then echo folder; else echo none; fi`;

// The file is replaced in one step, so that no login ever sees half of it. Its mode and owner stay the same. flock only shortens the time in
// which another writer could be overwritten, so machines without it work too.
const start = `set -eu
umask 077
d=$HOME/.ssh; f=$d/authorized_keys; id=$1; want=$2
if command -v flock >/dev/null 2>&1; then exec 9<"$HOME"; flock -w 10 9 || exit ${changed}; fi
if [ -L "$f" ]; then f=$(readlink -f "$f"); fi
have=none; if [ -e "$f" ]; then have=$(sha256sum <"$f" | cut -d" " -f1); fi
[ "$have" = "$want" ] || exit ${changed}
t=$f.cloudwright-$id
rm -f "$t"`;
const writeScript = `${start}
[ -d "$d" ] || mkdir "$d"
if [ -e "$f" ]; then cp -p "$f" "$t"; fi
base64 -d >"$t"
sync "$t" 2>/dev/null || sync
mv -f "$t" "$f"`;
const deleteScript = `${start}
rm -f "$f"
if [ "$3" = folder ]; then rmdir "$d" 2>/dev/null || true; fi`;

/**
 * Claims a machine: adds the keys to the user's authorized_keys file. Can be repeated, also with other keys. Throws if somebody else has
 * claimed the machine.
 */
export async function installClaim(shell: MachineShell, claim: KeyClaim): Promise<void> {
  await changeFile(shell, claim.id, (file) => {
    const other = listKeyClaims(file.text ?? "").find(({ id }) => id !== claim.id);
    if (other !== undefined) {
      const message = `${shell.where} is claimed already, according to its authorized_keys file (claim ${other.id})`;
      throw new Fault(hostsFaults.machine_in_use, message);
    }
    const text = addKeyClaim(file, claim);
    return text === file.text ? undefined : { text, madeFolder: false };
  });
}

/** Releases a machine: removes exactly what the claim added. Succeeds if the machine has no such claim. */
export async function releaseClaim(shell: MachineShell, id: string): Promise<void> {
  await changeFile(shell, id, ({ text }) => (text === undefined ? undefined : removeKeyClaim(text, id)));
}

/** Returns the keys that a claim added. Returns undefined if the machine has no such claim. */
export async function readClaimedKeys(shell: MachineShell, id: string): Promise<readonly string[] | undefined> {
  const { text = "" } = await readFile(shell);
  return listKeyClaims(text).find((claim) => claim.id === id)?.keys;
}

interface Change {
  /** The new content. Undefined deletes the file. */
  readonly text: string | undefined;
  readonly madeFolder: boolean;
}

async function changeFile(shell: MachineShell, id: string, decide: (file: KeyFile) => Change | undefined): Promise<void> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const file = await readFile(shell);
    const change = decide(file);
    if (change === undefined) return;
    const { text, madeFolder } = change;
    const want = file.text === undefined ? "none" : createHash("sha256").update(file.text, "latin1").digest("hex");
    const { code, stderr } =
      text === undefined
        ? await shell.run(["sh", "-c", deleteScript, "cloudwright", id, want, madeFolder ? "folder" : "keep"])
        : await shell.run(["sh", "-c", writeScript, "cloudwright", id, want], {
            input: Buffer.from(text, "latin1").toString("base64"),
          });
    if (code === 0) return;
    if (code !== changed)
      throw new Fault(hostsFaults.machine_failed, `${shell.where}: cannot change authorized_keys: ${tail(stderr)}`);
  }
  throw new Fault(hostsFaults.machine_busy, `${shell.where}: authorized_keys changed ${attempts} times while it was read`);
}

async function readFile(shell: MachineShell): Promise<KeyFile> {
  const { code, stdout, stderr } = await shell.run(["sh", "-c", readScript]);
  const [state = "", ...lines] = stdout.split("\n");
  if (code !== 0 || !["file", "folder", "none"].includes(state)) {
    throw new Fault(
      hostsFaults.machine_failed,
      `${shell.where}: cannot read authorized_keys: ${tail(stderr) || `exit code ${code}`}`,
    );
  }
  if (state !== "file") return { text: undefined, hasFolder: state === "folder" };
  const text = Buffer.from(lines.join(""), "base64").toString("latin1");
  if (text.length > mostBytes)
    throw new Fault(hostsFaults.machine_failed, `${shell.where}: authorized_keys has more than ${mostBytes} bytes`);
  return { text, hasFolder: true };
}

function tail(text: string): string {
  return text
    .trim()
    .slice(-300)
    .toWellFormed()
    .replaceAll(/\p{Cc}+/gu, " ");
}
