import { addExamples, type Configure } from "../command-context.ts";
import { configureVolumeChange } from "./change-volumes.ts";

/** `cloud volume detach NAME`: detaches volumes. They keep their data. */
export const configureDetach: Configure = (command, context) => {
  command.option("--instance <name>", "fail if the volume is attached to another instance than this one");
  addExamples(command, "cloud volume detach data --wait", "cloud volume detach data --instance web");
  configureVolumeChange(command, context, {
    verb: "detach",
    until: "the volume is detached",
    done: "will be detached",
    change: ({ client, project }, name, flags, options) =>
      client.volumes.detach(project, name, { ...options, instance: flags["instance"] as string | undefined }),
  });
};
