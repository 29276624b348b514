import { Fault } from "@cloudwright/platform/fault";
import { addExamples, onServer, type Configure, type FlagValues } from "../command-context.ts";
import { resourceOf } from "../entities.ts";
import { cliFaults } from "../faults.ts";
import { addAllowFlag, readAllow } from "../flags/allow-flag.ts";
import { addKindArgument } from "../list-flags.ts";
import { conclude } from "../operations/conclude.ts";
import { addPreviewFlag, preview } from "../operations/preview.ts";
import { addWaitFlags } from "../operations/wait.ts";
import { printDone } from "../output/print-items.ts";
import { requireReferences } from "../references.ts";

/** `cloud cluster upgrade dev --version 1.34`: upgrades the control plane, nodes and managed add-ons, one minor version at a time. */
export const configureUpgrade: Configure = (command, context) => {
  addKindArgument(command, context.kind, "<names...>");
  command.option("--version <version>", "Kubernetes version, such as 1.34");
  command.option("--resume", "continue a paused upgrade: check the nodes and run its gates again");
  command.option("--skip-gate <gate>", "continue a paused upgrade without this gate; can be repeated", collect);
  command.option("--abort", "end an upgrade that has changed nothing yet");
  command.option("--dry-run", "validate on the server without storing anything");
  addPreviewFlag(command);
  addAllowFlag(command);
  addWaitFlags(command, "the cluster is RUNNING again");
  addExamples(
    command,
    "cloud cluster upgrade dev --version 1.34 --preview",
    "cloud cluster upgrade dev --version 1.34 --wait",
    "cloud cluster upgrade dev --resume",
  );
  onServer(command, context, async (session, args, flags) => {
    const [reference, ...others] = requireReferences("upgrade", context.kind, args, {});
    if (reference === undefined || others.length > 0) throw new Fault(cliFaults.usage, "specify exactly one cluster");
    const { kind, name } = reference;
    const action = readAction(flags);
    if (flags["preview"] === true) {
      if (action.version === undefined) throw new Fault(cliFaults.usage, "--preview requires --version");
      return preview(session, kind, name, { spec: { version: action.version } }, flags);
    }
    let accepted: string | undefined;
    const dryRun = flags["dryRun"] === true;
    const entity = await resourceOf(session, kind, reference.cluster).act(name, "upgrade", {
      body: { ...action, dryRun, ...readAllow(kind, flags) },
      signal: session.world.signal,
      onAccepted: (operation) => void (accepted = operation),
    });
    const item = { kind, cluster: reference.cluster, entity };
    const done = action.version === undefined ? (action.abort === true ? "kept at its current version" : "resumed") : "upgraded";
    if (dryRun) await printDone(session, item, `would be ${done} (dry run)`);
    else await conclude(session, { item, accepted, done }, flags);
  });
};

interface Action {
  readonly version?: string;
  readonly resume?: true;
  readonly skipGates?: readonly string[];
  readonly abort?: true;
}

/** Determines from the flags whether to start, resume or abort an upgrade. */
function readAction(flags: FlagValues): Action {
  const { version, resume, skipGate, abort } = flags;
  const isResumed = resume === true || skipGate !== undefined;
  if ([version !== undefined, isResumed, abort === true].filter(Boolean).length !== 1)
    throw new Fault(cliFaults.usage, "specify one of --version, --resume (or --skip-gate) and --abort");
  if (version !== undefined) return { version: version as string };
  if (abort === true) return { abort: true };
  return { resume: true, ...(skipGate === undefined ? {} : { skipGates: skipGate as readonly string[] }) };
}

function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}
