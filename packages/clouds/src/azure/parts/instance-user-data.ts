import { refuseRequest } from "../../library/errors.ts";
import type { InstanceStart, InstanceUserData } from "../../library/instance-start.ts";

const defaultUser = "azureuser";
const mostBytes = 64 * 1024 - 1;

/**
 * Renders the `user_data` attribute of a virtual machine. Azure installs the SSH keys itself, for the machine's administrator. cloud-init
 * reads the user data from the metadata service.
 */
export function renderInstanceUserData({ user, userData }: InstanceStart): InstanceUserData {
  const bytes = Buffer.from(userData);
  if (bytes.length > mostBytes)
    throw refuseRequest("azure", `user data has ${bytes.length} bytes; Azure accepts at most ${mostBytes}`);
  return { userData: bytes.toString("base64"), user: user === "" ? defaultUser : user };
}
