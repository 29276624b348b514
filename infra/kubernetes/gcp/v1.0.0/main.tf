# Every resource carries its owner and its own Terraform name and key in the labels cloudwright_entity and cloudwright_part, or in its
# description if its type has no labels. If a run is killed, the next run uses this information to find the resources that were left behind.
# In label values, "__2f" stands for a slash.
data "google_project" "this" {}

locals {
  labels = merge(var.labels, {
    cloudwright_project = var.owner.project
    cloudwright_entity  = var.owner.entity
  })
  owned = "Managed by Cloudwright (cloudwright:entity=${var.owner.entity} cloudwright:part="
  uid   = replace(var.owner.entity, "-", "")
  # The last characters of a uid are random, so they make the name unique. GKE allows 40 characters in cluster names.
  suffix   = substr(local.uid, max(0, length(local.uid) - 8), -1)
  name     = "${trim(substr(var.cluster_name, 0, 31), "-")}-${local.suffix}"
  location = var.zone == null ? var.region : var.zone
  zones    = var.zone == null ? sort(var.zones) : [var.zone]
  channel  = var.release_channel == "none" ? "UNSPECIFIED" : upper(var.release_channel)

  project       = data.google_project.this.project_id
  workload_pool = "${local.project}.svc.id.goog"
  gke_agent     = "serviceAccount:service-${data.google_project.this.number}@container-engine-robot.iam.gserviceaccount.com"

  made_key = toset(var.create_kms_key ? ["made"] : [])
  # Refers to the IAM binding instead of the key, so that GKE is allowed to use the key before the cluster is created.
  kms_key = var.create_kms_key ? one([for member in google_kms_crypto_key_iam_member.secrets : member.crypto_key_id]) : var.kms_key

  # The newest offered version is looked up only for an upgrade. Otherwise, plans would change whenever GKE releases a version.
  newest = one([for found in data.google_container_engine_versions.requested : (
    local.channel == "UNSPECIFIED" ? found.latest_master_version : lookup(found.release_channel_latest_version, local.channel, found.latest_master_version)
  )])
  # If the release channel does not offer the requested version yet, the newest version outside the channel is used.
  target       = local.newest == null ? null : startswith(local.newest, "${var.cluster_version}.") ? local.newest : one([for found in data.google_container_engine_versions.requested : found.latest_master_version])
  version      = local.target != null ? local.target : var.current_version != null ? var.current_version : var.cluster_version
  node_version = local.target

  # Listed in the order in which GKE returns them, so that plans show no difference.
  log_components = [
    { name = "system", value = "SYSTEM_COMPONENTS" },
    { name = "workloads", value = "WORKLOADS" },
    { name = "apiserver", value = "APISERVER" },
    { name = "scheduler", value = "SCHEDULER" },
    { name = "controllerManager", value = "CONTROLLER_MANAGER" },
  ]
  metric_components = [
    { name = "system", value = "SYSTEM_COMPONENTS" },
    { name = "apiserver", value = "APISERVER" },
    { name = "scheduler", value = "SCHEDULER" },
    { name = "controllerManager", value = "CONTROLLER_MANAGER" },
    { name = "storage", value = "STORAGE" },
    { name = "hpa", value = "HPA" },
    { name = "pod", value = "POD" },
    { name = "daemonset", value = "DAEMONSET" },
    { name = "deployment", value = "DEPLOYMENT" },
    { name = "statefulset", value = "STATEFULSET" },
    { name = "cadvisor", value = "CADVISOR" },
    { name = "kubelet", value = "KUBELET" },
  ]
  # The date can be any past date. The recurrence determines the days.
  window_start = var.maintenance_window == null ? null : "2026-01-01T${var.maintenance_window.start}:00Z"
}

data "google_container_engine_versions" "requested" {
  for_each       = toset(var.upgrades_nodes && var.cluster_version != null ? [var.cluster_version] : [])
  location       = local.location
  version_prefix = "${each.key}."
}

resource "google_container_cluster" "this" {
  name               = local.name
  location           = local.location
  node_locations     = var.zone == null ? local.zones : null
  min_master_version = local.version
  network            = var.network_id
  subnetwork         = var.subnet_id
  networking_mode    = "VPC_NATIVE"
  datapath_provider  = "ADVANCED_DATAPATH"
  resource_labels    = merge(local.labels, { cloudwright_part = "this" })

  # Node pools are separate resources. GKE requires a pool when a cluster is created, so the provider deletes the default pool afterwards.
  remove_default_node_pool = true
  initial_node_count       = 1
  enable_shielded_nodes    = true
  # Only the Terraform provider checks this flag; GKE does not. The platform asks for approval before it deletes a cluster.
  deletion_protection = false

  node_config {
    service_account = local.node_account
    oauth_scopes    = ["https://www.googleapis.com/auth/cloud-platform"]
    shielded_instance_config {
      enable_secure_boot          = true
      enable_integrity_monitoring = true
    }
  }
  ip_allocation_policy {
    cluster_secondary_range_name  = var.pod_range_name
    services_secondary_range_name = var.service_range_name
  }
  private_cluster_config {
    enable_private_nodes    = true
    enable_private_endpoint = !var.public_access
    master_ipv4_cidr_block  = var.control_plane_cidr
  }
  # Always present, because GKE allows all addresses without this block.
  master_authorized_networks_config {
    gcp_public_cidrs_access_enabled = false
    dynamic "cidr_blocks" {
      for_each = toset(!var.public_access ? [] : length(var.public_access_cidrs) > 0 ? var.public_access_cidrs : ["0.0.0.0/0"])
      content {
        cidr_block = cidr_blocks.value
      }
    }
  }
  control_plane_endpoints_config {
    dns_endpoint_config {
      allow_external_traffic = var.dns_endpoint
    }
    ip_endpoints_config {
      enabled = true
    }
  }
  release_channel {
    channel = local.channel
  }
  workload_identity_config {
    workload_pool = local.workload_pool
  }
  database_encryption {
    state    = local.kms_key == null ? "DECRYPTED" : "ENCRYPTED"
    key_name = local.kms_key
  }
  master_auth {
    client_certificate_config {
      issue_client_certificate = false
    }
  }
  dynamic "authenticator_groups_config" {
    for_each = var.security_group == null ? [] : [var.security_group]
    content {
      security_group = authenticator_groups_config.value
    }
  }
  logging_config {
    enable_components = [for component in local.log_components : component.value if contains(var.log_types, component.name)]
  }
  monitoring_config {
    enable_components = [for component in local.metric_components : component.value if contains(var.monitoring, component.name)]
    managed_prometheus {
      enabled = var.managed_prometheus
    }
  }
  addons_config {
    dns_cache_config {
      enabled = true
    }
    gce_persistent_disk_csi_driver_config {
      enabled = true
    }
    http_load_balancing {
      disabled = false
    }
    horizontal_pod_autoscaling {
      disabled = false
    }
  }
  gateway_api_config {
    channel = var.gateway_api ? "CHANNEL_STANDARD" : "CHANNEL_DISABLED"
  }
  dynamic "maintenance_policy" {
    for_each = var.maintenance_window == null ? [] : [var.maintenance_window]
    content {
      recurring_window {
        start_time = local.window_start
        end_time   = timeadd(local.window_start, "${maintenance_policy.value.duration_hours}h")
        recurrence = length(maintenance_policy.value.days) == 0 ? "FREQ=DAILY" : "FREQ=WEEKLY;BYDAY=${join(",", maintenance_policy.value.days)}"
      }
    }
  }
  lifecycle {
    # The default pool exists only while the cluster is being created, so later changes to its settings must not replace the cluster. GKE
    # chooses the subnet of the private endpoint. Without this exception, the provider would replace the cluster to clear that field.
    ignore_changes = [node_config, initial_node_count, private_cluster_config[0].private_endpoint_subnetwork]
    precondition {
      condition     = var.upgrades_nodes == false || var.cluster_version == null || local.target != null
      error_message = "GKE offers no version ${coalesce(var.cluster_version, "of Kubernetes")} in ${local.location}."
    }
  }
  # Nodes need these permissions until the last node is deleted.
  depends_on = [google_project_iam_member.nodes]
}

# Cloud KMS never deletes key rings. The ring's name contains a part of the owner's uid, so that it cannot collide with the ring of a later
# cluster.
resource "google_kms_key_ring" "secrets" {
  for_each = local.made_key
  name     = local.name
  location = var.region
}

resource "google_kms_crypto_key" "secrets" {
  for_each        = local.made_key
  name            = "secrets"
  key_ring        = google_kms_key_ring.secrets[each.key].id
  rotation_period = "7776000s"
  labels          = merge(local.labels, { cloudwright_part = "secrets__2f${each.key}" })
}

resource "google_kms_crypto_key_iam_member" "secrets" {
  for_each      = local.made_key
  crypto_key_id = google_kms_crypto_key.secrets[each.key].id
  role          = "roles/cloudkms.cryptoKeyEncrypterDecrypter"
  member        = local.gke_agent
}
