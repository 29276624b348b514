import { addExamples, onServer, type Configure } from "../../command-context.ts";
import { addAccountFlag, manageImages } from "./manage-images.ts";

/** `cloud image delete NAME --account A`: deletes an image that no instance uses. */
export const configureImageDelete: Configure = (command, context) => {
  command.argument("<name>", "name of the image");
  addAccountFlag(command);
  addExamples(command, "cloud image delete web --account rack");
  onServer(command, context, async (session, args, flags) => {
    const image = String(args[0]);
    await manageImages(session, flags, { action: "remove", image });
    session.output.line(`image/${image} was deleted`);
  });
};
