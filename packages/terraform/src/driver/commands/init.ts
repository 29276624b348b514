import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { compareVersions } from "../../binaries/version.ts";
import { doExclusively } from "../../exclusive.ts";
import { readLockFile } from "../circumstances.ts";
import type { CommandOutcome } from "../command-report.ts";
import { conclude } from "../conclude.ts";
import { runCommand } from "../run-command.ts";
import type { Session } from "../session.ts";
import { fileNames, isConfigurationFile } from "../working-directory.ts";

export interface InitOptions {
  /** Runs init even if nothing has changed since the last init. */
  readonly always?: boolean;
  /** Installs exactly the providers in the lock file and leaves the file unchanged. */
  readonly frozen?: boolean;
  /** If false, init skips the backend, so that a configuration can be checked without its state. */
  readonly backend?: boolean;
  readonly upgrade?: boolean;
}

export interface InitResult {
  /** True if init was skipped because nothing has changed since the last init. */
  readonly skipped: boolean;
  /** Provider lock file. Store it and reuse it for later directories of the same stack. */
  readonly lockFile?: string;
}

const firstWithEvents = { terraform: "1.9.0", opentofu: "1.7.0" } as const;

/** Prepares the working directory for its configuration. Does nothing if it is already prepared. */
export async function init(
  session: Session,
  options: InitOptions,
  pluginCache: string | undefined,
): Promise<CommandOutcome<InitResult>> {
  const marker = join(session.ownDirectory, "initialised");
  const isReady = existsSync(marker) && readFileSync(marker, "utf8") === describeInputs(session, options);
  if (isReady && options.always !== true && options.upgrade !== true) {
    const nothing = { diagnostics: [], planned: [], drift: [], strayLines: { count: 0, last: [] } };
    const report = { command: "init", exitCode: 0, signal: null, seconds: 0, ...nothing };
    return { outcome: "done", value: { skipped: true, ...readLock(session) }, report };
  }
  const hasEvents = compareVersions(session.binary.version, firstWithEvents[session.binary.product]) >= 0;
  const args = [
    "init",
    "-input=false",
    "-no-color",
    ...(hasEvents ? ["-json"] : []),
    ...(options.frozen === true ? ["-lockfile=readonly"] : []),
    ...(options.backend === false ? ["-backend=false"] : []),
    ...(options.upgrade === true ? ["-upgrade"] : []),
  ];
  const run = () => runCommand(session, { name: "init", args, output: hasEvents ? "events" : "text" });
  // Terraform does not protect its plugin cache against concurrent writes.
  const ran = await (pluginCache === undefined ? run() : doExclusively(pluginCache, run));
  return conclude(session, ran, () => {
    writeFileSync(marker, describeInputs(session, options), { mode: 0o600 });
    return { skipped: false, ...readLock(session) };
  });
}

// Hashes everything that affects init: configuration files, lock file, program and provider sources. Paths are relative, so a copy of the
// directory counts as prepared too.
function describeInputs(session: Session, options: InitOptions): string {
  const { directory, ownDirectory, binary } = session;
  const hash = createHash("sha256").update(
    JSON.stringify([binary.path, binary.version, options.backend ?? true, session.reattached]),
  );
  const files = readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((path) => !/^\.(terraform|cloudwright)(\/|$)/.test(path) && isConfigurationFile(path))
    .toSorted();
  const own = [join(ownDirectory, "terraform.rc"), join(ownDirectory, "backend")];
  for (const file of [...files.map((path) => join(directory, path)), join(directory, fileNames.lock), ...own]) {
    hash.update(`${relative(directory, file)}\0`).update(existsSync(file) ? readFileSync(file) : "none");
  }
  return hash.digest("hex");
}

function readLock(session: Session): { lockFile?: string } {
  const lockFile = readLockFile(session.directory);
  return lockFile === undefined ? {} : { lockFile };
}
