import type { InstanceFacts } from "../cloud-facts.ts";

/** Google Cloud's rules for virtual machines. Google Cloud encrypts every disk. */
export const gcpInstances: InstanceFacts = {
  defaultDiskGib: 20,
  listProblems({ metadataTokens = "", rootDisk = {} }) {
    const found = [
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
