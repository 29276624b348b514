locals {
  replicated = toset(try(var.bucket.replication, null) == null ? [] : ["bucket"])
}

resource "aws_iam_role" "replication" {
  for_each = local.replicated
  # Names of roles have at most 64 characters.
  name = "${trimsuffix(substr(var.name, 0, 40), "-")}-replication-${substr(local.uid, max(0, length(local.uid) - 8), -1)}"
  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Principal = { Service = "s3.amazonaws.com" }
      Action    = "sts:AssumeRole"
    }]
  })
  tags = merge(local.tags, { Name = var.name, "cloudwright:part" = "replication/${each.key}" })
}

resource "aws_iam_role_policy" "replication" {
  for_each = local.replicated
  name     = "replicate"
  role     = aws_iam_role.replication[each.key].name
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
      {
        Effect   = "Allow"
        Action   = ["s3:GetReplicationConfiguration", "s3:ListBucket"]
        Resource = [aws_s3_bucket.this[each.key].arn]
      },
      {
        Effect   = "Allow"
        Action   = ["s3:GetObjectVersionAcl", "s3:GetObjectVersionForReplication", "s3:GetObjectVersionTagging"]
        Resource = ["${aws_s3_bucket.this[each.key].arn}/*"]
      },
      {
        Effect   = "Allow"
        Action   = ["s3:ReplicateObject", "s3:ReplicateTags"]
        Resource = ["${var.bucket.replication.bucket_arn}/*"]
      },
    ]
  })
}

resource "aws_s3_bucket_replication_configuration" "this" {
  for_each = local.replicated
  bucket   = aws_s3_bucket.this[each.key].id
  role     = aws_iam_role.replication[each.key].arn
  rule {
    id       = "replicate"
    priority = 0
    status   = "Enabled"
    filter {
      prefix = var.bucket.replication.prefix
    }
    # The copy keeps what is deleted here.
    delete_marker_replication {
      status = "Disabled"
    }
    destination {
      bucket        = var.bucket.replication.bucket_arn
      storage_class = var.bucket.replication.storage_class
    }
  }
  # S3 looks at the role and at the versioning before it takes this.
  depends_on = [aws_iam_role_policy.replication, aws_s3_bucket_versioning.this]
}
