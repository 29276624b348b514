import { refuseRequest } from "../../library/errors.ts";
import type { ImageReference } from "../machine-models.ts";

/** Images that can be requested by a short name, as publisher, offer, SKU and version. */
const known: Readonly<Record<string, string>> = {
  "ubuntu-24.04": "Canonical:ubuntu-24_04-lts:server:latest",
  "ubuntu-22.04": "Canonical:0001-com-ubuntu-server-jammy:22_04-lts-gen2:latest",
  "debian-12": "Debian:debian-12:12-gen2:latest",
};

/** SKUs for machine types with Arm processors. */
const knownArm: Readonly<Record<string, string>> = {
  "ubuntu-24.04": "Canonical:ubuntu-24_04-lts:server-arm64:latest",
  "ubuntu-22.04": "Canonical:0001-com-ubuntu-server-jammy:22_04-lts-arm64:latest",
  "debian-12": "Debian:debian-12:12-arm64:latest",
};

/** Parses the requested image: a known operating system, `publisher:offer:sku:version`, or the ARM ID of an image. */
export function readImage(image: string, type: string): ImageReference {
  if (/^\/(subscriptions|communitygalleries|sharedgalleries)\/[\w.()/-]+$/i.test(image)) return { id: image };
  const table = isArm(type) ? knownArm : known;
  const urn = Object.hasOwn(table, image) ? (table[image] ?? "") : image;
  const [publisher = "", offer = "", sku = "", version = "", ...more] = urn.split(":");
  if ([publisher, offer, sku, version].every((part) => /^[\w.-]+$/.test(part)) && more.length === 0)
    return { publisher, offer, sku, version };
  const names = Object.keys(known).join(", ");
  throw refuseRequest("azure", `"${image}" is not publisher:offer:sku:version, the ARM ID of an image, or one of ${names}`);
}

/** Renders an image in the form that requests accept. */
export function renderImage({ id, publisher, offer, sku, version }: ImageReference = {}): string {
  if (id !== undefined) return id;
  return publisher === undefined ? "" : [publisher, offer, sku, version].join(":");
}

/** Sizes with Arm processors have a `p` among the letters after the number of vCPUs, as in `Standard_D4ps_v5`. */
function isArm(type: string): boolean {
  return /^Standard_[A-Z]+\d+(-\d+)?[a-oq-z]*p[a-z]*(_|$)/.test(type);
}
