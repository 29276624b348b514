import { Fault } from "@cloudwright/platform/fault";
import { addExamples, type Configure } from "../command-context.ts";
import { cliFaults } from "../faults.ts";
import { configureVolumeChange } from "./change-volumes.ts";

/** `cloud volume resize NAME --size-gib 40`: makes volumes larger. */
export const configureResize: Configure = (command, context) => {
  command.requiredOption("--size-gib <number>", "new size in GiB; volumes cannot shrink");
  addExamples(command, "cloud volume resize data --size-gib 40 --wait");
  configureVolumeChange(command, context, {
    verb: "resize",
    until: "the volume has its new size",
    done: "will be resized",
    change: ({ client, project }, name, flags, options) =>
      client.volumes.patch(project, name, { spec: { sizeGib: parseSize(flags["sizeGib"] as string) } }, options),
  });
};

function parseSize(text: string): number {
  if (/^[1-9][0-9]{0,5}$/.test(text)) return Number(text);
  throw new Fault(cliFaults.usage, `--size-gib takes a whole number of GiB, not "${text}"`);
}
