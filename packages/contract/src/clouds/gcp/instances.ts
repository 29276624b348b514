import type { InstanceFacts } from "../cloud-facts.ts";
import { findImageProblem } from "../system-images.ts";

const ownImage =
  /^(https:\/\/[a-z.]*googleapis\.com\/compute\/v1\/)?(projects\/[a-z0-9.:-]+\/)?global\/images\/(family\/)?[a-z][a-z0-9-]*$/;

/** Google Cloud's rules for virtual machines. Google Cloud encrypts every disk. */
export const gcpInstances: InstanceFacts = {
  defaultDiskGib: 20,
  listProblems({ image = "", metadataTokens = "", rootDisk = {} }) {
    const found = [
      findImageProblem(image, ownImage, "an image such as projects/debian-cloud/global/images/family/debian-12"),
      [
        metadataTokens === "optional",
        "spec.metadataTokens",
        "must not be optional; the metadata server of Google Cloud always requires the header Metadata-Flavor, and has no session tokens",
      ],
      [rootDisk.encrypted === false, "spec.rootDisk.encrypted", "must not be false; Google Cloud encrypts every disk"],
    ] as const;
    return found.flatMap(([isWrong, field, message]) => (isWrong ? [{ field, message }] : []));
  },
};
