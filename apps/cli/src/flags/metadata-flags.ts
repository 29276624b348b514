import type { MetadataJson } from "@cloudwright/api-client";
import { Option, type Command } from "commander";
import type { FlagValues } from "../command-context.ts";
import { parsePairs } from "./read-spec.ts";

const repeat = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value];

/** Adds the flags of what every entity has beside its spec. */
export function addMetadataFlags(command: Command): void {
  command
    .option("--label <key=value>", "label, may be repeated", repeat)
    .option("--annotation <key=value>", "annotation, may be repeated", repeat)
    .option("--environment <name>", "environment it is grouped in")
    .option("--deletion-protection", "refuse to delete it, or anything above it")
    .option("--no-deletion-protection", "let it be deleted again")
    .addOption(
      new Option(
        "--deletion-policy <policy>",
        "what a deletion does to what was built for it: delete it, or retain it in the cloud and forget it here",
      ).choices(["delete", "retain"]),
    );
}

/** What those flags say; in an update `key-` takes a label away. */
export function readMetadata(
  flags: FlagValues,
): Pick<MetadataJson, "labels" | "annotations" | "environment" | "deletionProtection" | "deletionPolicy"> {
  const labels = flags["label"] as string[] | undefined;
  const annotations = flags["annotation"] as string[] | undefined;
  const environment = flags["environment"] as string | undefined;
  const deletionProtection = flags["deletionProtection"] as boolean | undefined;
  const deletionPolicy = flags["deletionPolicy"] as string | undefined;
  return {
    ...(deletionProtection === undefined ? {} : { deletionProtection }),
    ...(deletionPolicy === undefined ? {} : { deletionPolicy }),
    ...(labels === undefined ? {} : { labels: parsePairs("label", labels) as Record<string, string> }),
    ...(annotations === undefined ? {} : { annotations: parsePairs("annotation", annotations) as Record<string, string> }),
    ...(environment === undefined ? {} : { environment }),
  };
}
