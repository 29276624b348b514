import { ifReadable, refuseRequest } from "../../library/errors.ts";
import { hasMarketplaceImage } from "../has-image.ts";
import { renderImage } from "./images.ts";
import type { ImageReference } from "../machine-models.ts";
import type { AzureContext } from "./context.ts";

/**
 * Throws `clouds.invalid` if the marketplace does not have an image in the location. Passes for images that are not from the marketplace, and if
 * the credentials do not allow the check.
 */
export async function checkImage(
  { api }: AzureContext,
  { image, location }: { readonly image: ImageReference; readonly location: string },
  signal: AbortSignal | undefined,
): Promise<void> {
  if ((await ifReadable(hasMarketplaceImage(api, { image, location }, signal))) !== false) return;
  const { publisher = "", offer = "", sku = "" } = image;
  const list = `az vm image list --all --location ${location} --publisher ${publisher} --offer ${offer} --sku ${sku}`;
  throw refuseRequest("azure", `${location} has no image ${renderImage(image)}; \`${list}\` lists what it has`);
}
