import { Fault } from "@cloudwright/platform/fault";
import { addExamples, onServer, type Configure } from "../command-context.ts";
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
  command.requiredOption("--version <version>", "Kubernetes version, such as 1.34");
  command.option("--dry-run", "validate on the server without storing anything");
  addPreviewFlag(command);
  addAllowFlag(command);
  addWaitFlags(command, "the cluster is RUNNING again");
  addExamples(command, "cloud cluster upgrade dev --version 1.34 --preview", "cloud cluster upgrade dev --version 1.34 --wait");
  onServer(command, context, async (session, args, flags) => {
    const [reference, ...others] = requireReferences("upgrade", context.kind, args, {});
    if (reference === undefined || others.length > 0) throw new Fault(cliFaults.usage, "specify exactly one cluster");
    const { kind, name } = reference;
    const version = flags["version"] as string;
    if (flags["preview"] === true) return preview(session, kind, name, { spec: { version } }, flags);
    let accepted: string | undefined;
    const dryRun = flags["dryRun"] === true;
    const entity = await resourceOf(session, kind, reference.cluster).act(name, "upgrade", {
      body: { version, dryRun, ...readAllow(kind, flags) },
      signal: session.world.signal,
      onAccepted: (operation) => void (accepted = operation),
    });
    const item = { kind, cluster: reference.cluster, entity };
    if (dryRun) await printDone(session, item, "would be upgraded (dry run)");
    else await conclude(session, { item, accepted, done: "upgraded" }, flags);
  });
};
