import { addExamples, onServer, type Configure } from "../../command-context.ts";
import { addAccountFlag, manageImages } from "./manage-images.ts";

/** `cloud image build NAME --account A`: builds the image of a distribution in advance. */
export const configureImageBuild: Configure = (command, context) => {
  command.argument("<distribution>", "distribution, such as debian-12");
  addAccountFlag(command);
  addExamples(command, "cloud image build debian-12 --account rack");
  onServer(command, context, async (session, args, flags) => {
    const image = String(args[0]);
    await manageImages(session, flags, { action: "build", image });
    session.output.line(`image/${image} is ready`);
  });
};
