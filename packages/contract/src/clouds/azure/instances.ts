import type { InstanceFacts } from "../cloud-facts.ts";
import { findImageProblem } from "../system-images.ts";

/** Names that Azure does not accept for a machine's administrator. */
const refusedUsers =
  /^(root|admin\d?|administrator|user\d?|test\d?|guest|david|john|console|server|sql|support\w*|sys|video|owner|actuser|adm|aspnet|backup|a|1|123)$/;

const ownImage = /^(\/(subscriptions|communitygalleries|sharedgalleries)\/[\w.()/-]+|[\w.-]+:[\w.-]+:[\w.-]+:[\w.-]+)$/i;

/** Azure's rules for virtual machines. The images need a disk of at least 30 GiB, and Azure encrypts every disk. */
export const azureInstances: InstanceFacts = {
  defaultDiskGib: 30,
  listProblems({ image = "", sshKeys = [], user = "", metadataTokens = "", rootDisk = {} }) {
    const { sizeGib = 0, encrypted, kmsKey = "" } = rootDisk;
    const found = [
      findImageProblem(image, ownImage, "publisher:offer:sku:version or the ARM ID of an image"),
      [
        sshKeys.length === 0,
        "spec.sshKeys",
        "must name at least one SSH key; Azure refuses machines without a key or a password",
      ],
      [
        refusedUsers.test(user),
        "spec.user",
        `is "${user}", which Azure does not accept; choose another name, or leave it out for azureuser`,
      ],
      [
        sizeGib > 0 && sizeGib < 30,
        "spec.rootDisk.sizeGib",
        `is ${sizeGib}, but a disk in Azure must not be smaller than its image; use 30 or more`,
      ],
      [sizeGib > 4095, "spec.rootDisk.sizeGib", `is ${sizeGib}; disks that machines start from have at most 4095 GiB in Azure`],
      [encrypted === false, "spec.rootDisk.encrypted", "must not be false; Azure encrypts every disk"],
      [
        kmsKey !== "" &&
          !/^\/subscriptions\/[^/]+\/resourceGroups\/[^/]+\/providers\/Microsoft\.Compute\/diskEncryptionSets\/[^/]+$/i.test(
            kmsKey,
          ),
        "spec.rootDisk.kmsKey",
        "must be the ARM id of a disk encryption set",
      ],
      [
        metadataTokens === "optional",
        "spec.metadataTokens",
        "must not be optional; Azure's metadata service always requires the header Metadata, and has no session tokens",
      ],
    ] as const;
    return found.flatMap(([isWrong, field, message]) => (isWrong ? [{ field, message }] : []));
  },
};
