-- ?1 the block, ?2 the bytes of the metadata of its rows, ?3 the filter, ?4 the texts.
REPLACE INTO sealed_texts (id, metadata_bytes, filter, texts) VALUES (?1, ?2, ?3, ?4)
