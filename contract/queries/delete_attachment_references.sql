-- Every reference to a content. ?1 its SHA-256.
DELETE FROM attachments WHERE sha256 = ?1
