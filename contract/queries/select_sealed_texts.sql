-- Each sealed block: its number, the bytes of the metadata of its rows, its frame.
SELECT id, metadata_bytes, texts FROM sealed_texts ORDER BY id
