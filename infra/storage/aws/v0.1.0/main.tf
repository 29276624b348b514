# Each resource carries its name and key in the `cloudwright:part` tag. If a run is killed, the next run uses this tag to find the
# resources that were left behind.
locals {
  tags = merge(var.tags, {
    "cloudwright:project" = var.owner.project
    "cloudwright:entity"  = var.owner.entity
  })
  uid = replace(var.owner.entity, "-", "")
  # Bucket names are globally unique and have at most 63 characters. The last characters of a uid are random, so they make the
  # name unique.
  bucket_name = "${trimsuffix(substr(var.name, 0, 50), "-")}-${substr(local.uid, max(0, length(local.uid) - 12), -1)}"
  buckets     = toset(var.bucket == null ? [] : ["bucket"])
  volumes     = toset(var.volume == null ? [] : ["volume"])
  expiring    = toset(try(var.bucket.expire_after_days, 0) > 0 ? ["bucket"] : [])
}

resource "aws_s3_bucket" "this" {
  for_each      = local.buckets
  bucket        = local.bucket_name
  force_destroy = var.bucket.force_destroy
  tags          = merge(local.tags, { Name = var.name, "cloudwright:part" = "this/${each.key}" })
}

resource "aws_s3_bucket_versioning" "this" {
  for_each = local.buckets
  bucket   = aws_s3_bucket.this[each.key].id
  versioning_configuration {
    # Versioning cannot be removed from a bucket, only suspended.
    status = var.bucket.versioning ? "Enabled" : "Suspended"
  }
}

resource "aws_s3_bucket_server_side_encryption_configuration" "this" {
  for_each = local.buckets
  bucket   = aws_s3_bucket.this[each.key].id
  rule {
    apply_server_side_encryption_by_default {
      sse_algorithm = "AES256"
    }
  }
}

resource "aws_s3_bucket_public_access_block" "this" {
  for_each                = local.buckets
  bucket                  = aws_s3_bucket.this[each.key].id
  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}

resource "aws_s3_bucket_lifecycle_configuration" "this" {
  for_each = local.expiring
  bucket   = aws_s3_bucket.this[each.key].id
  rule {
    id     = "expire"
    status = "Enabled"
    filter {}
    expiration {
      days = var.bucket.expire_after_days
    }
    noncurrent_version_expiration {
      noncurrent_days = var.bucket.expire_after_days
    }
  }
  depends_on = [aws_s3_bucket_versioning.this]
}

resource "aws_ebs_volume" "this" {
  for_each          = local.volumes
  availability_zone = var.volume.zone
  size              = var.volume.size_gib
  type              = var.volume.type
  encrypted         = true
  tags              = merge(local.tags, { Name = var.name, "cloudwright:part" = "this/${each.key}" })
}
