# Each resource carries its owner and its own Terraform name and key in labels. If a run is killed, the next run uses these labels to find
# the resources that were left behind. In label values, "__2f" stands for a slash.
locals {
  labels = merge(var.labels, {
    cloudwright_project = var.owner.project
    cloudwright_entity  = var.owner.entity
    # Identifies the storage in cost reports.
    cloudwright_name = var.name
  })
  uid = replace(var.owner.entity, "-", "")
  # Bucket names are globally unique and have at most 63 characters. The last characters of a uid are random, so they make the
  # name unique.
  unique_name = "${trim(substr(var.name, 0, 50), "-")}-${substr(local.uid, max(0, length(local.uid) - 12), -1)}"
  buckets     = toset(var.bucket == null ? [] : ["bucket"])
  volumes     = toset(var.volume == null ? [] : ["volume"])
}

resource "google_storage_bucket" "this" {
  for_each      = local.buckets
  name          = local.unique_name
  location      = upper(var.region)
  storage_class = "STANDARD"
  force_destroy = var.bucket.force_destroy
  # Access is granted only through IAM, never through object ACLs, and no grant can make objects public.
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"
  labels                      = merge(local.labels, { cloudwright_part = "this__2f${each.key}" })
  versioning {
    enabled = var.bucket.versioning
  }
  dynamic "encryption" {
    for_each = var.bucket.kms_key_name == null ? [] : [var.bucket.kms_key_name]
    content {
      default_kms_key_name = encryption.value
    }
  }
  dynamic "retention_policy" {
    for_each = var.bucket.retention == null ? [] : [var.bucket.retention]
    content {
      retention_period = tostring(retention_policy.value.days * 86400)
      is_locked        = retention_policy.value.locked
    }
  }
  dynamic "lifecycle_rule" {
    for_each = local.rules
    content {
      action {
        type          = lifecycle_rule.value.action
        storage_class = lifecycle_rule.value.storage_class
      }
      condition {
        age                        = lifecycle_rule.value.age
        days_since_noncurrent_time = lifecycle_rule.value.noncurrent_days
        with_state                 = lifecycle_rule.value.state
        matches_prefix             = lifecycle_rule.value.prefixes
      }
    }
  }
}

resource "google_compute_disk" "this" {
  for_each               = local.volumes
  name                   = local.unique_name
  zone                   = var.volume.zone
  size                   = var.volume.size_gib
  type                   = var.volume.type
  provisioned_iops       = var.volume.iops
  provisioned_throughput = var.volume.throughput
  labels                 = merge(local.labels, { cloudwright_part = "this__2f${each.key}" })
  # The snapshot stays in the project until someone deletes it.
  create_snapshot_before_destroy = var.volume.final_snapshot
  # Without a key, Google Cloud encrypts the disk with a Google-managed key.
  dynamic "disk_encryption_key" {
    for_each = var.volume.kms_key_name == null ? [] : [var.volume.kms_key_name]
    content {
      kms_key_self_link = disk_encryption_key.value
    }
  }
}
