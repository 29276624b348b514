import type { MetadataJson } from "@cloudwright/api-client";
import type { Command } from "commander";
import type { FlagValues } from "../command-context.ts";
import { parsePairs } from "./read-spec.ts";

const repeat = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value];

/** Adds the flags of what every entity has beside its spec. */
export function addMetadataFlags(command: Command): void {
  command
    .option("--label <key=value>", "label, may be repeated", repeat)
    .option("--annotation <key=value>", "annotation, may be repeated", repeat)
    .option("--environment <name>", "environment it is grouped in");
}

/** What those flags say; in an update `key-` takes a label away. */
export function readMetadata(flags: FlagValues): Pick<MetadataJson, "labels" | "annotations" | "environment"> {
  const labels = flags["label"] as string[] | undefined;
  const annotations = flags["annotation"] as string[] | undefined;
  const environment = flags["environment"] as string | undefined;
  return {
    ...(labels === undefined ? {} : { labels: parsePairs("label", labels) as Record<string, string> }),
    ...(annotations === undefined ? {} : { annotations: parsePairs("annotation", annotations) as Record<string, string> }),
    ...(environment === undefined ? {} : { environment }),
  };
}
