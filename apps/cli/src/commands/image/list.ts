import type { MachineImageJson } from "@cloudwright/api-client";
import { addExamples, onServer, type Configure } from "../../command-context.ts";
import { isStructured } from "../../output/output.ts";
import type { Column } from "../../output/table.ts";
import { addAccountFlag, manageImages } from "./manage-images.ts";

/** `cloud image list --account A`: lists the images of a machine. */
export const configureImageList: Configure = (command, context) => {
  addAccountFlag(command);
  addExamples(command, "cloud image list --account rack");
  onServer(command, context, async (session, _args, flags) => {
    const found = await manageImages(session, flags, { action: "list" });
    const { output } = session;
    if (isStructured(output.format)) return output.structure({ items: found });
    if (output.format === "name") return found.forEach(({ name = "" }) => output.line(name));
    if (found.length === 0) return output.note("the machine has no images yet; it sets them up when instances need them");
    return output.table(columns, found);
  });
};

const columns: readonly Column<MachineImageJson>[] = [
  { title: "NAME", value: ({ name = "" }) => name },
  { title: "SIZE", value: ({ sizeMib = 0 }) => (sizeMib === 0 ? "" : `${sizeMib} MiB`) },
  { title: "INSTANCES", value: ({ users = 0 }) => String(users) },
  { title: "CREATED", value: ({ createdAt = "" }) => createdAt },
  { title: "SOURCE", value: ({ source = "" }) => source },
];
