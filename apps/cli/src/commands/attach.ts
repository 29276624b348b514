import { addExamples, type Configure } from "../command-context.ts";
import { configureVolumeChange } from "./change-volumes.ts";

/** `cloud volume attach NAME --instance INSTANCE`: attaches volumes to one instance. */
export const configureAttach: Configure = (command, context) => {
  command.requiredOption("--instance <name>", "name or uid of the instance");
  addExamples(command, "cloud volume attach data --instance web", "cloud volume attach data --instance web --wait");
  configureVolumeChange(command, context, {
    verb: "attach",
    until: "the volume is attached",
    done: "will be attached",
    change: ({ client, project }, name, flags, options) =>
      client.volumes.attach(project, name, flags["instance"] as string, options),
  });
};
