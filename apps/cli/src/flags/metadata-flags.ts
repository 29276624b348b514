import type { MetadataJson } from "@cloudwright/api-client";
import { Option, type Command } from "commander";
import type { FlagValues } from "../command-context.ts";
import { parsePairs } from "./read-spec.ts";

const repeat = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value];

export function addMetadataFlags(command: Command): void {
  command
    .option("--label <key=value>", "label; can be repeated", repeat)
    .option("--annotation <key=value>", "annotation; can be repeated", repeat)
    .option("--environment <name>", "environment of the entity")
    .option("--deletion-protection", "protect the entity and its parents from deletion")
    .option("--no-deletion-protection", "allow deletion again")
    .addOption(
      new Option(
        "--deletion-policy <policy>",
        "what happens to the infrastructure on deletion: delete it, or retain it in the cloud without managing it",
      ).choices(["delete", "retain"]),
    );
}

/** Reads the metadata flags. In an update, `--label key-` removes a label. */
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
