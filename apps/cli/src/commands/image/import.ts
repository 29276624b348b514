import { addExamples, onServer, type Configure } from "../../command-context.ts";
import { addAccountFlag, manageImages } from "./manage-images.ts";

/** `cloud image import NAME --account A --path PATH`: imports an image from a file or folder on the machine. */
export const configureImageImport: Configure = (command, context) => {
  command.argument("<name>", "name of the new image");
  addAccountFlag(command);
  command.requiredOption("--path <path>", "absolute path on the machine of a root file system or an OCI layout");
  command.option("--oci", "the path contains an OCI layout instead of a root file system");
  command.option("--sha256 <checksum>", "expected checksum of the archive; the import fails if it differs");
  addExamples(
    command,
    "cloud image import web --account rack --path /srv/images/web.tar.zst --sha256 9f86d081884c7d65...",
    "cloud image import web --account rack --path /srv/images/web-oci --oci",
  );
  onServer(command, context, async (session, args, flags) => {
    const image = String(args[0]);
    const sha256 = (flags["sha256"] as string | undefined)?.toLowerCase() ?? "";
    const format = flags["oci"] === true ? "oci" : "rootfs";
    await manageImages(session, flags, { action: "import", image, path: flags["path"] as string, format, sha256 });
    session.output.line(`image/${image} was imported`);
  });
};
