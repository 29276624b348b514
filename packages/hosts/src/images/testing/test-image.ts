import { systemClock } from "@cloudwright/platform";
import { runTool } from "../../run-tool.ts";
import { openImages } from "../images.ts";
import { digestRecipe } from "../recipe.ts";

/**
 * Builds the image for the host suites, unless the cache already contains it. Returns the folder with its root file system. The build needs
 * a package mirror, so this must be called before the suites enter their network namespace.
 */
export async function buildTestImage(cacheDirectory: string): Promise<string> {
  const images = await openImages({ directory: cacheDirectory, run: runTool, clock: systemClock });
  const name = `debian-12-${digestRecipe("debian-12").slice(0, 16)}`;
  const { root } = await images.build({ name, distribution: "debian-12" }, undefined);
  return root;
}
