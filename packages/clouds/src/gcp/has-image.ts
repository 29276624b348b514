import { Fault } from "@cloudwright/platform/fault";
import { cloudsFaults } from "../faults.ts";
import type { GcpApi } from "./api.ts";
import { findImage } from "./library/images.ts";

/** Returns whether an image exists, as an instance's spec names it. Returns undefined if the credentials do not allow reading it. */
export async function hasImage(api: GcpApi, image: string, type: string): Promise<boolean | undefined> {
  const { path } = findImage(image, type);
  const full = path.startsWith("projects/") ? path : `projects/${await api.getProject()}/${path}`;
  try {
    return (await api.find<object>(`look up the image ${image}`, { service: "compute", path: full })) !== undefined;
  } catch (error) {
    // Images of other projects may be usable although they cannot be read.
    if (error instanceof Fault && error.code === cloudsFaults.not_allowed.code) return undefined;
    throw error;
  }
}
