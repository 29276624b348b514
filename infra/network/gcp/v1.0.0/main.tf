# Every resource carries its owner and its own Terraform name and key in the labels cloudwright_entity and cloudwright_part, or in its
# description if its type has no labels. If a run is killed, the next run uses this information to find the resources that were left behind.
# In label values, "__2f" stands for a slash. Changing the description of a network or a subnet would replace it.
locals {
  labels = merge(var.labels, {
    cloudwright_project = var.owner.project
    cloudwright_entity  = var.owner.entity
  })
  owned = "Managed by Cloudwright (cloudwright:entity=${var.owner.entity} cloudwright:part="
  uid   = replace(var.owner.entity, "-", "")
  # Names must be unique in a project. The last characters of a uid are random, so they make the name unique.
  base = "${trim(substr(var.name, 0, 40), "-")}-${substr(local.uid, max(0, length(local.uid) - 8), -1)}"

  # Empty for an existing network, in which nothing is created.
  made = toset(var.network == null ? ["network"] : [])

  # By default, pods get the upper half of the network's range, machines the first sixteenth, and Services the fifth sixteenth.
  subnet_cidr  = coalesce(var.subnet_cidr, try(cidrsubnet(var.cidr_range, 4, 0), null), "none")
  pod_cidr     = coalesce(var.pod_cidr, try(cidrsubnet(var.cidr_range, 1, 1), null), "none")
  service_cidr = coalesce(var.service_cidr, try(cidrsubnet(var.cidr_range, 4, 4), null), "none")
}

resource "google_compute_network" "this" {
  for_each                = local.made
  name                    = local.base
  description             = "${local.owned}this/${each.key})"
  auto_create_subnetworks = false
  routing_mode            = upper(var.routing_mode)
  mtu                     = var.mtu
}

resource "google_compute_subnetwork" "this" {
  for_each                 = local.made
  name                     = local.base
  description              = "${local.owned}this/${each.key})"
  network                  = google_compute_network.this[each.key].id
  region                   = var.region
  ip_cidr_range            = local.subnet_cidr
  private_ip_google_access = var.private_google_access
  secondary_ip_range {
    range_name    = var.pod_range_name
    ip_cidr_range = local.pod_cidr
  }
  secondary_ip_range {
    range_name    = var.service_range_name
    ip_cidr_range = local.service_cidr
  }
  dynamic "log_config" {
    for_each = var.flow_logs == null ? [] : [var.flow_logs]
    content {
      aggregation_interval = log_config.value.aggregation_interval
      flow_sampling        = log_config.value.sampling_percent / 100
      metadata             = "INCLUDE_ALL_METADATA"
    }
  }
}
