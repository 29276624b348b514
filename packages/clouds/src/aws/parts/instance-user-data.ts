import type { InstanceStart, InstanceUserData } from "../../library/instance-start.ts";
import { findImageUser } from "../library/images.ts";
import { renderUserData } from "../library/user-data.ts";

/**
 * Renders the `user_data_base64` attribute of an EC2 instance. Without a user, cloud-init installs the keys for the image's default user,
 * which is unknown if the image is given as an AMI ID.
 */
export function renderInstanceUserData({ image, sshKeys, user, userData }: InstanceStart): InstanceUserData {
  const imageUser = findImageUser(image);
  const chosen = user === "" ? imageUser : user;
  return { userData: renderUserData({ sshKeys, user: chosen, imageUser, userData }) ?? "", user: chosen };
}
