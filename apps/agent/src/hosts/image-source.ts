import { distributions, type Distribution, type Images } from "@cloudwright/hosts";
import { share } from "@cloudwright/platform";

/** The images that instances of a host can use. */
export interface ImageSource {
  /** Returns whether the image exists, or can be set up when an instance needs it. */
  has(name: string): Promise<boolean>;
  /** Sets an image up, unless it exists. `log` receives lines about work that takes minutes. */
  ensure(name: string, log: (line: string) => void, signal: AbortSignal): Promise<void>;
}

/**
 * Creates the source of a host's images. `imported` maps names to root file systems on the machine: folders or archives. The images of
 * distributions are built of their packages.
 */
export function createImageSource(images: Images, imported: Readonly<Record<string, string>>): ImageSource {
  const isDistribution = (name: string): name is Distribution => Object.hasOwn(distributions, name);
  const shareSetUp = share<void>();

  async function setUp(name: string, log: (line: string) => void): Promise<void> {
    if ((await images.find(name)) !== undefined) return;
    const path = imported[name];
    if (path !== undefined) {
      log(`importing the image ${name} from ${path}`);
      await images.importRootfs({ name, path }, undefined);
    } else if (isDistribution(name)) {
      log(`building the image ${name} of the distribution's packages; this takes a few minutes and happens once`);
      await images.build({ name, distribution: name }, undefined);
    } else await images.get(name);
    log(`the image ${name} is ready`);
  }

  return {
    has: async (name) => Object.hasOwn(imported, name) || isDistribution(name) || (await images.find(name)) !== undefined,
    async ensure(name, log, signal) {
      if ((await images.find(name)) !== undefined) return;
      // Several instances share one build, so it continues when one of them is cancelled.
      const cancelled = new Promise<never>((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true }),
      );
      await Promise.race([shareSetUp(name, () => setUp(name, log)), cancelled]);
    },
  };
}
