import { Fault } from "@cloudwright/platform/fault";
import { cloudsFaults } from "../faults.ts";
import type { AzureApi } from "./api.ts";
import { readImage } from "./library/images.ts";
import type { ImageReference } from "./machine-models.ts";
import { operations } from "./operations.ts";

/**
 * Returns whether the marketplace has an image in the region, as an instance's spec names it. Returns undefined for the ARM ID of an image,
 * and if the credentials do not allow reading the marketplace.
 */
export async function hasImage(api: AzureApi, image: string, type: string): Promise<boolean | undefined> {
  try {
    return await hasMarketplaceImage(api, { image: readImage(image, type), location: api.region });
  } catch (error) {
    if (error instanceof Fault && error.code === cloudsFaults.not_allowed.code) return undefined;
    throw error;
  }
}

/** Returns whether the marketplace has an image. Returns undefined for images that are not from the marketplace. */
export async function hasMarketplaceImage(
  api: Pick<AzureApi, "find">,
  { image, location }: { readonly image: ImageReference; readonly location: string },
  signal?: AbortSignal,
): Promise<boolean | undefined> {
  const { publisher, offer, sku, version } = image;
  if (publisher === undefined || offer === undefined || sku === undefined) return undefined;
  const path = { location, publisherName: publisher, offer, skus: sku };
  const doing = `look up the image ${publisher}:${offer}:${sku}`;
  const found = await api.find<readonly { readonly name?: string }[]>(doing, operations.listImages, { path, signal });
  return found !== undefined && found.some(({ name }) => version === "latest" || name === version);
}
