# A GKE node pool has the same number of nodes in each of its zones. To allow any number of nodes, each of the platform's node pools
# consists of one GKE node pool per zone. This also keeps nodes in the zones of their persistent disks when the pool is scaled.
locals {
  zones_of = { for name, pool in var.node_pools : name => sort(distinct(length(pool.zones) > 0 ? pool.zones : local.zones)) }
  parts = flatten([for name, pool in var.node_pools : [for index, zone in local.zones_of[name] : {
    # The last letter of a zone's name is unique within its region.
    key     = "${name}/${substr(zone, -1, 1)}"
    pool    = name
    zone    = zone
    min     = floor(pool.min / length(local.zones_of[name])) + (index < pool.min % length(local.zones_of[name]) ? 1 : 0)
    desired = floor(pool.desired / length(local.zones_of[name])) + (index < pool.desired % length(local.zones_of[name]) ? 1 : 0)
    max     = floor(pool.max / length(local.zones_of[name])) + (index < pool.max % length(local.zones_of[name]) ? 1 : 0)
  }]])
  pools   = { for part in local.parts : part.key => merge(var.node_pools[part.pool], part) }
  effects = { NoSchedule = "NO_SCHEDULE", PreferNoSchedule = "PREFER_NO_SCHEDULE", NoExecute = "NO_EXECUTE" }
  images  = { cos = "COS_CONTAINERD", ubuntu = "UBUNTU_CONTAINERD" }
  # GKE cannot change these settings of an existing pool. Their hash is part of the pool's name, so that the new pool can exist before the
  # old one is deleted.
  fixed = { for key, pool in local.pools : key => substr(sha1(jsonencode([
    pool.pool, pool.capacity, pool.accelerator, pool.accelerator_count, pool.max_pods, pool.secure_boot, var.node_disk_kms_key, var.node_service_account,
  ])), 0, 6) }
}

resource "google_container_node_pool" "pool" {
  for_each          = local.pools
  name              = "${trim(substr(each.value.pool, 0, 30), "-")}-${substr(each.value.zone, -1, 1)}-${local.fixed[each.key]}"
  cluster           = google_container_cluster.this.name
  location          = google_container_cluster.this.location
  node_locations    = [each.value.zone]
  version           = local.node_version
  max_pods_per_node = each.value.max_pods
  # The autoscaler controls the size of an existing pool. A new pool starts with the desired size.
  node_count = each.value.autoscaling && lookup(var.built_pools, each.key, "") == local.fixed[each.key] ? null : each.value.desired

  dynamic "autoscaling" {
    # GKE rejects a maximum of 0. A pool with this maximum has no nodes and needs no autoscaling.
    for_each = each.value.autoscaling && each.value.max > 0 ? [each.value] : []
    content {
      min_node_count  = autoscaling.value.min
      max_node_count  = autoscaling.value.max
      location_policy = autoscaling.value.capacity == "spot" ? "ANY" : "BALANCED"
    }
  }
  management {
    auto_repair = true
    # GKE requires automatic upgrades for clusters in a release channel.
    auto_upgrade = local.channel != "UNSPECIFIED"
  }
  upgrade_settings {
    strategy        = "SURGE"
    max_surge       = each.value.max_surge
    max_unavailable = each.value.max_unavailable
  }
  network_config {
    enable_private_nodes = true
  }
  node_config {
    machine_type      = each.value.machine_type
    image_type        = local.images[each.value.image]
    disk_size_gb      = each.value.disk_size_gib
    disk_type         = each.value.disk_type
    boot_disk_kms_key = var.node_disk_kms_key
    spot              = each.value.capacity == "spot"
    service_account   = local.node_account
    oauth_scopes      = ["https://www.googleapis.com/auth/cloud-platform"]
    # The provider cannot remove the last label of a pool, so every pool always has this one.
    labels          = merge(each.value.labels, { "cloudwright.dev/pool" = each.value.pool })
    tags            = each.value.network_tags
    metadata        = { "disable-legacy-endpoints" = "true" }
    resource_labels = merge(local.labels, each.value.resource_labels, { cloudwright_part = "pool__2f${replace(each.key, "/", "__2f")}" })
    dynamic "taint" {
      for_each = each.value.taints
      content {
        key    = taint.value.key
        value  = taint.value.value == null ? "" : taint.value.value
        effect = local.effects[taint.value.effect]
      }
    }
    dynamic "guest_accelerator" {
      for_each = each.value.accelerator == null ? [] : [each.value.accelerator]
      content {
        type  = guest_accelerator.value
        count = each.value.accelerator_count
        gpu_driver_installation_config {
          gpu_driver_version = "DEFAULT"
        }
      }
    }
    shielded_instance_config {
      enable_secure_boot          = each.value.secure_boot
      enable_integrity_monitoring = true
    }
    # Gives pods the identity of their own service account instead of the node's.
    workload_metadata_config {
      mode = "GKE_METADATA"
    }
  }
  depends_on = [google_project_iam_member.nodes, google_project_iam_member.registry]
  lifecycle {
    create_before_destroy = true
  }
}
