import type { InstanceFacts } from "../cloud-facts.ts";
import { findImageProblem } from "../system-images.ts";

/** What AWS requires of EC2 instances. */
export const awsInstances: InstanceFacts = {
  defaultDiskGib: 20,
  listProblems({ image = "" }) {
    const found = [findImageProblem(image, /^ami-[\da-f]+$/, "the ID of an AMI such as ami-0123456789abcdef0")];
    return found.flatMap(([isWrong, field, message]) => (isWrong ? [{ field, message }] : []));
  },
};
