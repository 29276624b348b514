import type { AwsApi } from "./api.ts";
import { renderImageQuery } from "./library/images.ts";

/** Returns whether the region has an image, as an instance's spec names it. */
export async function hasImage(api: AwsApi, image: string, type: string): Promise<boolean> {
  return api.call(`look up the image ${image}`, async (clients) => {
    const { DescribeImagesCommand } = await import("@aws-sdk/client-ec2");
    const query = renderImageQuery({ image, type, region: api.region });
    return ((await (await clients.ec2()).send(new DescribeImagesCommand(query))).Images ?? []).length > 0;
  });
}
