import type { InstanceFacts } from "../cloud-facts.ts";

const imageName = /^[a-z0-9][a-z0-9._-]{0,62}$/;

/** Rules for instances on the user's own machines, which are containers. Settings that have no meaning there are rejected. */
export const localInstances: InstanceFacts = {
  defaultImage: "debian-12",
  defaultDiskGib: 10,
  areReachable: true,
  listProblems({ image = "", metadataTokens = "", zone = "", subnet = "", publicAddress = false, rootDisk = {} }) {
    const { encrypted, kmsKey = "" } = rootDisk;
    const found = [
      [
        image !== "" && !imageName.test(image),
        "spec.image",
        `is "${image}", which cannot be the name of an image; use debian-12, or the name of an image that was set up on the machine`,
      ],
      [metadataTokens !== "", "spec.metadataTokens", "must be empty; instances on your own machines have no metadata service"],
      [zone !== "", "spec.zone", "must be empty; your own machines have no zones"],
      [subnet !== "", "spec.subnet", "must be empty; a network of your own machines has a single range and no subnets"],
      [
        publicAddress,
        "spec.publicAddress",
        "must be false; instances on your own machines can be reached from their machine only",
      ],
      [
        encrypted === true || kmsKey !== "",
        kmsKey === "" ? "spec.rootDisk.encrypted" : "spec.rootDisk.kmsKey",
        "must not be set; disks of instances are files of the machine, so encrypt the file system of the machine instead",
      ],
    ] as const;
    return found.flatMap(([isWrong, field, message]) => (isWrong ? [{ field, message }] : []));
  },
};
