import type { MachineImages } from "@cloudwright/clouds";
import { confineSource, distributions, hostsFaults, type Distribution } from "@cloudwright/hosts";
import { Fault } from "@cloudwright/platform";
import type { OpenedHost } from "./open-host.ts";

const isDistribution = (name: string): name is Distribution => Object.hasOwn(distributions, name);

/**
 * The images of a host, for users of its accounts. Users can neither choose files outside the folders that the operator allows, nor replace
 * images that the operator configured.
 */
export function createHostImages(open: () => Promise<OpenedHost>): MachineImages {
  return {
    async list() {
      const { images } = (await open()).host;
      const found = (await images.list()).map(async ({ name, source, sizeBytes = 0, createdAtMs }) => ({
        name,
        source,
        sizeBytes,
        createdAtMs,
        users: (await images.listUsers(name)).length,
      }));
      return Promise.all(found);
    },
    async import({ name, path, format, sha256, token }, { signal, log }) {
      const { host, imageFolders, configuredImages } = await open();
      if (isDistribution(name) || Object.hasOwn(configuredImages, name)) {
        const message = `the name "${name}" is reserved on this machine, because other instances rely on it; choose another name`;
        throw new Fault(hostsFaults.image_exists, message);
      }
      const source = await confineSource(path, { folders: imageFolders, files: Object.values(configuredImages) });
      const request = { name, path: source, sha256: sha256 === "" ? undefined : sha256, token };
      log(`importing the image ${name} from ${source}`);
      await (format === "oci" ? host.images.importOci(request, signal) : host.images.importRootfs(request, signal));
      log(`the image ${name} is ready`);
    },
    async build(name, { signal, log }) {
      const { images } = await open();
      if (!isDistribution(name)) {
        const known = Object.keys(distributions).join(", ");
        throw new Fault(hostsFaults.bad_image, `there is no recipe for "${name}"; use one of: ${known}`);
      }
      await images.ensure(name, log, signal);
    },
    remove: async (name) => (await open()).host.images.remove(name),
  };
}
