import type { Configure } from "../command-context.ts";
import { addCommonFlags } from "../common-flags.ts";
import { addLazyCommands, type CommandEntry } from "../lazy-commands.ts";

const entries: readonly CommandEntry[] = [
  {
    name: "list",
    aliases: ["ls"],
    summary: "list the images of a machine",
    load: async () => (await import("./image/list.ts")).configureImageList,
  },
  {
    name: "import",
    summary: "import an image from a folder or an archive on the machine",
    load: async () => (await import("./image/import.ts")).configureImageImport,
  },
  {
    name: "build",
    summary: "build the image of a distribution from its packages",
    load: async () => (await import("./image/build.ts")).configureImageBuild,
  },
  {
    name: "delete",
    aliases: ["remove", "rm"],
    summary: "delete an image that no instance uses",
    load: async () => (await import("./image/delete.ts")).configureImageDelete,
  },
];

/** `cloud image ...`: manages the images on a machine of one's own. */
export const configureImage: Configure = (command, context) => {
  addCommonFlags(command);
  addLazyCommands(command, entries, context);
};
