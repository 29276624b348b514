import { refuseRequest } from "../../library/errors.ts";
import { pathOf } from "./references.ts";

/** An image and the user for whom SSH keys are installed. */
export interface InstanceImage {
  /** `projects/p/global/images/i` or `projects/p/global/images/family/f`. */
  readonly path: string;
  readonly user: string;
}

/** Image families that can be requested by a short name, keyed by processor architecture. */
const known: Readonly<Record<string, { readonly user: string; readonly x86: string; readonly arm: string }>> = {
  "ubuntu-24.04": {
    user: "ubuntu",
    x86: "projects/ubuntu-os-cloud/global/images/family/ubuntu-2404-lts-amd64",
    arm: "projects/ubuntu-os-cloud/global/images/family/ubuntu-2404-lts-arm64",
  },
  "ubuntu-22.04": {
    user: "ubuntu",
    x86: "projects/ubuntu-os-cloud/global/images/family/ubuntu-2204-lts",
    arm: "projects/ubuntu-os-cloud/global/images/family/ubuntu-2204-lts-arm64",
  },
  "debian-12": {
    user: "debian",
    x86: "projects/debian-cloud/global/images/family/debian-12",
    arm: "projects/debian-cloud/global/images/family/debian-12-arm64",
  },
};

const imagePath = /^(projects\/[a-z0-9.:-]+\/)?global\/images\/(family\/)?[a-z][a-z0-9-]*$/;

/** Finds the requested image: a path, a self link, or a known operating system for the machine type. Sends no requests. */
export function findImage(image: string, type: string): InstanceImage {
  const system = Object.hasOwn(known, image) ? known[image] : undefined;
  if (system !== undefined) return { path: isArm(type) ? system.arm : system.x86, user: system.user };
  const path = pathOf(image);
  if (imagePath.test(path)) return { path, user: guessUser(path) };
  throw refuseRequest(
    "gcp",
    `"${image}" is neither an image such as projects/p/global/images/family/f nor one of ${Object.keys(known).join(", ")}`,
  );
}

/**
 * Compute Engine creates any user that has an SSH key. The library uses each operating system's default user name, so that commands from
 * its documentation work.
 */
function guessUser(image: string): string {
  if (/ubuntu/.test(image)) return "ubuntu";
  return /debian/.test(image) ? "debian" : "cloud-user";
}

function isArm(type: string): boolean {
  return /^(t2a|c4a|n4a|a4x)-/.test(type);
}

/** Returns the type of a boot disk. New machine families support only Hyperdisk. */
export function diskTypeFor(type: string): string {
  return /^(c4|c4a|c4d|n4|n4a|n4d|x4|m4|h4d|a4|a4x|g4)-/.test(type) ? "hyperdisk-balanced" : "pd-balanced";
}
