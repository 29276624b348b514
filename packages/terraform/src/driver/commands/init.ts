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

/** How a working directory is made ready. */
export interface InitOptions {
  /** Also when nothing has changed since the last one. */
  readonly always?: boolean;
  /** Providers must be those of the lock file; it is not written. */
  readonly frozen?: boolean;
  /** False to check a configuration without its state. */
  readonly backend?: boolean;
  readonly upgrade?: boolean;
}

/** A directory that is ready. */
export interface InitResult {
  /** No program was started: the configuration is the one of the last init. */
  readonly skipped: boolean;
  /** The lock of providers, to be kept and given to later directories of the same stack. */
  readonly lockFile?: string;
}

const firstWithEvents = { terraform: "1.9.0", opentofu: "1.7.0" } as const;

/** Makes the working directory ready for its configuration; does nothing when it provably is. */
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
  // Terraform itself does not guard its cache against two that fill it.
  const ran = await (pluginCache === undefined ? run() : doExclusively(pluginCache, run));
  return conclude(session, ran, () => {
    writeFileSync(marker, describeInputs(session, options), { mode: 0o600 });
    return { skipped: false, ...readLock(session) };
  });
}

// Everything that decides what init does: the configuration's files, the lock, the program and where providers come from. A copy elsewhere is as ready.
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
